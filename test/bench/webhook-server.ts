import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A webhook that verifies everything at once. */
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.setHeader('content-type', 'application/json').end('{"arePoliciesVerified":true}');
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
console.log(JSON.stringify({ event: 'listening', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
await once(process, 'SIGTERM');
server.closeAllConnections();
server.close();
