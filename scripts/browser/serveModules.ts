/**
 * Serves modules of this repository to a browser on this machine with their types stripped, so that a page can import
 * what runs in browsers without a bundler in between.
 */
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { stripTypeScriptTypes } from "node:module";
import type { AddressInfo } from "node:net";
import { join, normalize } from "node:path";
import { paths } from "../stack/paths.ts";

export interface ModuleServer {
  /** An empty page; modules lie below it by their path in the repository. */
  url: string;
  close(): Promise<void>;
}

const page = '<!doctype html><title>modules</title><link rel="icon" href="data:,">';

export async function serveModules(options: { folder: string }): Promise<ModuleServer> {
  const { folder } = options;
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? "/", "http://localhost").pathname);
    if (path === "/") return void response.setHeader("content-type", "text/html").end(page);
    if (!path.startsWith(`/${folder}/`) || !path.endsWith(".ts")) return void response.writeHead(404).end();
    readFile(join(paths.root, path), "utf8").then(
      (text) => response.setHeader("content-type", "text/javascript").end(stripTypeScriptTypes(text)),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
