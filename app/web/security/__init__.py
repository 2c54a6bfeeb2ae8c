"""Protection against abuse: rate limits, bans, bounds on connections and requests, forged writes."""
