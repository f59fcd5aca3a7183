export { type Identity, identitySetup } from './data.ts';
export { TOKEN_LEEWAY, identity, identityQuestions, isSubjectUnread, subjectOf } from './identity.ts';
