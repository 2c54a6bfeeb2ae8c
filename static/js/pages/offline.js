// The offline page: back to where one was as soon as the network returns.

// Shown in place of a page that could not be fetched, it stands at that page's address; under its own
// address there is nothing to come back to, and loading it anew by itself would never end.
const wanted = location.pathname !== "/offline";

/** "Online" is said when there is a network, not when the server answers: look until it does. */
async function look() {
  const answer = await fetch("/healthz", { cache: "no-store" }).catch(() => null);
  if (answer?.ok) location.reload();
  else setTimeout(look, 2500);
}

if (wanted) {
  window.addEventListener("online", look);
  setTimeout(look, 1000);
  document.querySelector("[data-try-again]").addEventListener("click", (event) => {
    event.preventDefault();
    location.reload();
  });
}
