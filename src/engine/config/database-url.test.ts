import { expect, test } from 'vitest';
import { hasPassword, isDatabaseUrl, withoutPassword } from './database-url.ts';

test.each([
  ['postgres://desk@db.example.com/gasdesk', false, 'postgres://desk@db.example.com/gasdesk'],
  ['postgresql://desk:s3cret@db:5433/gasdesk', true, 'postgresql://desk@db:5433/gasdesk'],
  ['postgres://desk:s3%23cret%40@[::1]/gasdesk?sslmode=require', true, 'postgres://desk@[::1]/gasdesk?sslmode=require'],
  ['postgres:///gasdesk?host=/run/postgresql', false, 'postgres:///gasdesk?host=/run/postgresql'],
  ['postgres://db/gasdesk?password=s3cret', true, 'postgres://db/gasdesk'],
  ['postgres://db/gasdesk?sslmode=require&sslpassword=s3cret', true, 'postgres://db/gasdesk?sslmode=require'],
])('%s is a database; whether it holds a password: %s', (url, secret, shown) => {
  expect([isDatabaseUrl(url), hasPassword(url), withoutPassword(url)]).toEqual([true, secret, shown]);
});

test.each([
  ['mysql://db/gasdesk'],
  ['http://db/gasdesk'],
  ['/var/lib/gasdesk.db'],
  ['postgres'],
  ['host=db password=s3cret'],
  ['postgres://desk:12#34@db/gasdesk'],
  ['postgres://desk:12/34@db/gasdesk'],
  ['postgres://desk:12?34@db/gasdesk'],
])('%s is none, so that no part of a password is taken for something else', (text) => {
  expect([isDatabaseUrl(text), hasPassword(text), withoutPassword(text)]).toEqual([false, false, '']);
});
