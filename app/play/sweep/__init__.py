"""The sweeper, which claims games with due work and does it; the turns of bots."""
