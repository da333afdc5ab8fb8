/**
 * The half of the injected wallet that runs in the page: an EIP-1193 provider, announced by EIP-6963, that hands every
 * request on.
 */

type Listener = (value: unknown) => void;
type Answer = { result?: unknown; event?: [name: string, value: unknown]; error?: { code: number; message: string } };

/** Self-contained: its source is what is evaluated in each page, before the page's own scripts. */
export function announceWallet(identity: { name: string; rdns: string; uuid: string }): void {
  const listeners = new Map<string, Set<Listener>>();
  const provider = {
    on(event: string, listener: Listener) {
      const known = listeners.get(event) ?? new Set<Listener>();
      listeners.set(event, known.add(listener));
      return provider;
    },
    removeListener(event: string, listener: Listener) {
      listeners.get(event)?.delete(listener);
      return provider;
    },
    async request(request: { method: string; params?: unknown[] }): Promise<unknown> {
      const ask = (window as unknown as { ngpuWalletRequest: (request: object) => Promise<Answer> }).ngpuWalletRequest;
      const { result, event, error } = await ask(request);
      if (event) for (const listener of listeners.get(event[0]) ?? []) listener(event[1]);
      if (error) throw Object.assign(new Error(error.message), { code: error.code });
      return result;
    },
  };
  const square =
    '<svg xmlns="http://www.w3.org/2000/svg" width="32" height="32"><rect width="32" height="32" fill="teal"/></svg>';
  const info = Object.freeze({ ...identity, icon: `data:image/svg+xml,${encodeURIComponent(square)}` });
  const announce = (): void => {
    window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: Object.freeze({ info, provider }) }));
  };
  window.addEventListener("eip6963:requestProvider", announce);
  announce();
}
