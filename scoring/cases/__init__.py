"""The form of scoring cases: typed fields, and figures compared with what a case expects."""
