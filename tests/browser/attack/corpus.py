"""Hostile texts for names, titles and chat lines."""

from __future__ import annotations

# A text that is parsed as markup leaves an element with data-xss or sets window.pwned.
CORPUS = (
    "<script>window.pwned=1</script>",
    "<img src=x data-xss onerror=window.pwned=1>",
    '"><svg data-xss onload=window.pwned=1>',
    "'><b data-xss onmouseover=window.pwned=1>",
    "</script><script>window.pwned=1</script>",
    "</title></textarea><img data-xss src=x>",
    "<iframe data-xss srcdoc='<script>parent.pwned=1</script>'>",
    "<a data-xss href=javascript:window.pwned=1>x</a>",
    "javascript:window.pwned=1",
    "&lt;img data-xss src=x onerror=window.pwned=1&gt;",
    "&#60;img data-xss src=x&#62;",
    "%3Cimg%20data-xss%20src=x%3E",
    "' autofocus onfocus=window.pwned=1 data-xss x='",
    "`${window.pwned=1}`",
    "{{constructor.constructor('window.pwned=1')()}}",
    "{% raw %}{{7*7}}{% endraw %}",
    "<style>@import 'http://127.0.0.1:9/x'</style>",
    "<math><mtext><img data-xss src=x>",
    "<!--><img data-xss src=x>-->",
    "<x/data-xss/onclick=window.pwned=1>",
    "\u202e<img data-xss src=x>",
    "__proto__",
    "]]><img data-xss src=x>",
    "%(name)s {name} {0}",
)

# Reports blocked scripts and called dialogs to the console, which the tests check.
REPORT_VIOLATIONS = """
addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
for (const name of ["alert", "confirm", "prompt"])
  window[name] = () => console.error(`something called ${name}`);
"""
COUNT_INJECTIONS = "() => [window.pwned ?? 0, document.querySelectorAll('[data-xss]').length]"
