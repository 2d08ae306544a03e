"""What there is for Klondike besides its rules."""
