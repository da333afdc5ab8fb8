/** Starts Postgres and never stops it: the starter that a test kills. Arguments: data folder, port. */
import { startPostgres } from "../../../scripts/stack/postgres.ts";

const [dataDir = "", port = ""] = process.argv.slice(2);
// Without setpriv on the path nothing ends the server together with its starter, as on systems that have none.
process.env.PATH = "";
const { pid } = await startPostgres({ dataDir, port: Number(port) });
console.log(`READY ${pid}`);
setInterval(() => undefined, 60_000);
