import { type AddressInfo, type Socket, connect, createServer } from "node:net";

export type DatabaseProxy = {
  /** By TCP. */
  readonly url: string;
  /** Forwards nothing more on open connections, which stay open; new ones work. */
  fallSilent(): void;
  close(): void;
};

/** A TCP proxy before a PostgreSQL on a Unix socket. */
export async function openDatabaseProxy(url: string): Promise<DatabaseProxy> {
  const { searchParams, port, username, password, pathname } = new URL(url);
  const path = `${searchParams.get("host")}/.s.PGSQL.${searchParams.get("port") ?? port}`;
  const passing: Socket[] = [];
  const proxy = createServer((socket) => {
    const server = connect(path);
    passing.push(socket, server);
    for (const end of [socket, server]) end.on("error", () => {});
    socket.pipe(server).pipe(socket);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return {
    url: `postgres://${username}:${password}@127.0.0.1:${(proxy.address() as AddressInfo).port}${pathname}`,
    fallSilent() {
      for (const socket of passing) socket.unpipe().pause();
    },
    close() {
      for (const socket of passing) socket.destroy();
      proxy.close();
    },
  };
}
