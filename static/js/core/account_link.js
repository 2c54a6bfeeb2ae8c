// Links to the account page that lead back afterwards.

/**
 * Return the address of the account page. Whoever logs in or registers there comes back to `back`.
 * @param {string} [back]
 */
export const accountPath = (back = location.pathname + location.search) =>
  `/account?${new URLSearchParams({ back })}`;

/**
 * Return the address to go back to; null without one. An address of another site does not count.
 * @param {string} search
 * @param {string} origin
 */
export function addressBack(search, origin) {
  const back = new URLSearchParams(search).get("back");
  if (!back?.startsWith("/")) return null;
  const address = URL.canParse(back, origin) ? new URL(back, origin) : null;
  // The whole address: its path alone may begin with two slashes, which would name another site.
  return address?.origin === origin ? address.href : null;
}
