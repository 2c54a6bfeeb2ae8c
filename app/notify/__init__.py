"""Opt-in notices to people who are away: web push, e-mail and webhooks."""
