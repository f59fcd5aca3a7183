import { z } from 'zod';
import { procedure } from './procedure.ts';

export const behaviourWords = {
  verify: 'Verifies: arePoliciesVerified: true',
  deny: 'Does not verify: false',
  oldSpelling: 'Verifies in the old spelling: arePoliciesVerifed',
  refuse: 'Refuses the call: status 403',
  fail: 'Fails: status 500',
  notJson: 'Answers HTML instead of JSON',
  hang: 'Never answers: the call times out',
  tooLarge: 'Answers more than 64 KiB',
  redirect: 'Redirects: status 302',
  disconnect: 'Closes the connection without an answer',
} as const;

export type ReceiverBehaviour = keyof typeof behaviourWords;

export const receiverBehaviours = Object.keys(behaviourWords) as [ReceiverBehaviour, ...ReceiverBehaviour[]];

const receivedCall = z.strictObject({
  seq: z.number(),
  at: z.number().describe('epoch ms'),
  method: z.string(),
  target: z.string().describe('Path and query'),
  headers: z.record(z.string(), z.string()),
  body: z.string().describe('Up to 64 KiB'),
  signature: z.enum(['valid', 'missing', 'wrong', 'old', 'unchecked']),
  behaviour: z.enum(receiverBehaviours).describe('How the receiver answered'),
});

export type ReceivedCall = z.output<typeof receivedCall>;

const receiver = z.strictObject({
  url: z.string().nullable().describe('URL on this machine; null while the receiver does not run'),
  behaviour: z.enum(receiverBehaviours),
  webhookId: z.string().nullable().describe('The webhook whose secret checks the signatures'),
  calls: z.array(receivedCall).describe('The last calls, newest first'),
});

export type ReceiverState = z.output<typeof receiver>;

/** Procedures for a webhook receiver in the service, which only this machine can reach, for trying out errors. */
export const receiverProcedures = {
  'receiver.start': procedure({ summary: 'Start the local receiver on a free port of this machine', output: receiver }),
  'receiver.get': procedure({ summary: 'Show the state of the local receiver, and its last calls', output: receiver }),
  'receiver.set': procedure({
    summary: 'Choose what the local receiver does with calls, and whose secret checks their signatures',
    input: z.strictObject({
      behaviour: z.enum(receiverBehaviours).optional(),
      webhookId: z.string().nullable().optional(),
    }),
    output: receiver,
    errors: ['WEBHOOK_NOT_FOUND', 'VAULT_LOCKED'],
  }),
  'receiver.stop': procedure({
    summary: 'Stop the local receiver, and discard the calls that it received',
    output: receiver,
  }),
};
