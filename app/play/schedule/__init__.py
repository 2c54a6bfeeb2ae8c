"""What happens by itself: clocks that run out, bots' turns, absence, and the sweeper that sees to it."""
