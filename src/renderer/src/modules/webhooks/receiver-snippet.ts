/** A webhook in JavaScript that accepts only calls from this Gasdesk server, of every request type. */
export const receiverSnippet = `import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.WEBHOOK_SECRET); // whsec_…

createServer(async (request, response) => {
  const { method, url, headers } = request;
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  // A POST is signed by its body. A GET is signed by its path and query, which hold its data.
  const signed = method === 'GET' ? \`GET \${url}\` : body;
  try {
    webhook.verify(signed, headers, { jsonParse: false });
  } catch {
    response.writeHead(401).end();
    return;
  }
  const query = new URL(url, 'http://localhost').searchParams;
  const data = method === 'GET' ? JSON.parse(query.get('data')) : JSON.parse(body).data;
  const arePoliciesVerified = data.user !== undefined; // your conditions
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ arePoliciesVerified }));
}).listen(8080);`;
