"""Text -> Claim: what an agent says in blocks, packets and prose."""
