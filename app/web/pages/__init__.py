"""HTML pages: templates rendered in the reader's language, static files, error pages."""
