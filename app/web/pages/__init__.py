"""HTML pages: templates in the reader's language, static files, error pages."""
