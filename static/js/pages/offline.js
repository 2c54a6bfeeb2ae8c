// The offline page: back to where one was as soon as the network returns.

const again = () => location.reload();
window.addEventListener("online", again);
document.querySelector("[data-try-again]").addEventListener("click", (event) => {
  event.preventDefault();
  again();
});
