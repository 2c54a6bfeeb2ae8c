// Runs bench.equal_decisions on Pyodide, the CPython that browsers run; see there.
//   node bench/pyodide.mjs FOLDER [arguments]    FOLDER has node_modules/pyodide
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const [folder, ...options] = process.argv.slice(2);
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { loadPyodide } = await import(pathToFileURL(join(folder, "node_modules/pyodide/pyodide.mjs")).href);
const pyodide = await loadPyodide({ env: { HOME: "/home/pyodide", PYTHONDONTWRITEBYTECODE: "1" } });
pyodide.mountNodeFS("/cartagena", root);
pyodide.globals.set("options", pyodide.toPy(options));
await pyodide.runPythonAsync(`
import runpy, sys
sys.path.insert(0, "/cartagena")
sys.argv = ["bench.equal_decisions", *options]
try:
    runpy.run_module("bench.equal_decisions", run_name="__main__")
except SystemExit as end:
    if end.code:
        raise
`);
