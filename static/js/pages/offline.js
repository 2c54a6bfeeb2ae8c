// The offline page: reloads the original page as soon as the server is reachable.

// It is shown at the address of a page that could not be fetched. At its own address there is nothing to return to, and
// reloading would never end.
const isInPlaceOfPage = location.pathname !== "/offline";

/** Reload once the server answers. The "online" event only says that there is a network. */
async function reloadWhenReachable() {
  const answer = await fetch("/healthz", { cache: "no-store" }).catch(() => null);
  if (answer?.ok) location.reload();
  else setTimeout(reloadWhenReachable, 2500);
}

if (isInPlaceOfPage) {
  window.addEventListener("online", reloadWhenReachable);
  setTimeout(reloadWhenReachable, 1000);
  document.querySelector("[data-try-again]")?.addEventListener("click", (event) => {
    event.preventDefault();
    location.reload();
  });
}
