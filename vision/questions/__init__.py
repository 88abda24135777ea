"""What to ask about a hand, by expected information gain."""
