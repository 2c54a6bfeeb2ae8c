// Opening dialogs that are made when they are needed.

/**
 * Open a dialog, and remove it when it is closed. Return false if one with the same first class is open already: the module of
 * a dialog may load so slowly that its button is pressed twice.
 * @param {HTMLDialogElement} dialog
 */
export function openModal(dialog) {
  if (document.querySelector(`dialog.${dialog.classList[0]}[open]`)) return false;
  // The browser has restored the focus before this event. Doing it here could take it from a later key press.
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return true;
}
