// The offline page: back to where one was as soon as the network returns.

const again = () => location.reload();

/** "Online" is said when there is a network, not when the server answers: look until it does. */
async function look() {
  const answer = await fetch("/healthz", { cache: "no-store" }).catch(() => null);
  if (answer?.ok) again();
  else setTimeout(look, 2500);
}
window.addEventListener("online", look);
setTimeout(look, 1000);
document.querySelector("[data-try-again]").addEventListener("click", (event) => {
  event.preventDefault();
  again();
});
