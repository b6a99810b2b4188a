"""Data only: what is measured, said, decided and journaled. It knows nothing but itself."""
