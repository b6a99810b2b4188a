"""LoopState -> blocks, documents, metrics and schemas."""
