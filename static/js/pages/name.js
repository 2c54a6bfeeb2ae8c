// Who plays: a guest gets a name before the first deed, and may change it any time.
import { t } from "../core/i18n.js";
import { get, post, Refused } from "../core/api.js";
import { find } from "../core/page_dom.js";

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

/** Wire a form with one name field; said shows how it went. */
export function nameForm(form, said) {
  form?.addEventListener("submit", async (event) => {
    event.preventDefault();
    said.className = "field-said";
    try {
      await ensureName();
      said.classList.add("is-good");
      said.textContent = t("Saved.");
    } catch (problem) {
      if (!(problem instanceof Refused)) throw problem;
      said.classList.add("is-bad");
      said.textContent = problem.message;
    }
  });
}
