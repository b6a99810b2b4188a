"""Usage of the calls, and the budgets that are left."""
