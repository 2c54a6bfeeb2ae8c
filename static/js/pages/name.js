// The player's name: a guest gets one before the first table, and may change it any time.
import { t } from "../core/i18n.js";
import { get, post } from "../core/api.js";
import { find } from "../core/dom.js";
import { attempt, succeed } from "./forms.js";

const field = () => document.getElementById("name");

/** Make sure the server knows us; a name typed but not saved is taken along. */
export async function ensureName() {
  const typed = field()?.value.trim();
  const { person } = await get("/me");
  if (person && (!typed || typed === person.name)) return;
  show((await post("/me", typed ? { name: typed } : {})).person);
}

function show(me) {
  const header = find(".who-name");
  if (header && me?.name) header.textContent = me.name;
  if (field() && me?.name) field().value = me.name;
}

/** A form with one name field; `message` says how it went. */
export function nameForm(form, message) {
  form?.addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(message, async () => {
      await ensureName();
      succeed(message, t("Saved."));
    });
  });
}
