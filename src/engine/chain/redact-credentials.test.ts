import { expect, it } from 'vitest';
import { credentialRedactor } from './redact-credentials.ts';

it.each([
  ['a key in the path', 'https://rpc.example.com/v2/pr0vider-k3y', 'pr0vider-k3y'],
  ['a long word in the path', 'https://rpc.example.com/correcthorsebatterystaple', 'correcthorsebatterystaple'],
  ['a key in the query', 'https://rpc.example.com/?token=qu3ry', 'qu3ry'],
  ['a query without a name', 'https://rpc.example.com/?qu3ryk3y', 'qu3ryk3y'],
  ['a password that is encoded in the URL, as it is meant', 'https://us3r:p%40ss%2Fw0rd@rpc.example.com', 'p@ss/w0rd'],
  ['a password, as it is encoded', 'https://us3r:p%40ss%2Fw0rd@rpc.example.com', 'p%40ss%2Fw0rd'],
  ['a password that the URL need not encode, encoded', 'https://us3r:p!ss$w0rd@rpc.example.com', 'p!ss%24w0rd'],
  ['user and password, as they are sent', 'https://us3r:pa55@rpc.example.com', btoa('us3r:pa55')],
  ['a key in the path that is encoded, as it is meant', 'https://rpc.example.com/k3y%2Bw1th%2Bplus', 'k3y+w1th+plus'],
  ['a key in the query that is encoded, as it is', 'https://rpc.example.com/?k=qu%2Bry', 'qu%2Bry'],
  ['a path that cannot be decoded', 'https://rpc.example.com/k3y%zzw1th', 'k3y%zzw1th'],
])('%s is hidden if a node quotes it', (_, url, quoted) => {
  expect(credentialRedactor(url)(`invalid: ${quoted}!`)).toBe('invalid: [secret]!');
});

it.each(['mainnet-rpc', 'ethereum', 'sepolia-11155111', 'polygon_zkevm.v2'])(
  'the name %s in the path stays in what a node says',
  (name) => {
    const said = `no such network: ${name}`;
    expect(credentialRedactor(`https://rpc.example.com/${name}/k3y-k3y-k3y`)(said)).toBe(said);
  },
);
