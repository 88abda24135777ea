"""Problems of a hand, and the checks that find them."""
