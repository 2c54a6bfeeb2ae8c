"""What keeps strangers from doing harm: rate limits, bans, bounds on connections, checks of a request."""
