"""The texts sent to agents, as templates."""
