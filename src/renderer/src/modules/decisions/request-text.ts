export const requestText = (
  method: string,
  target: string,
  { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
): string => {
  const lines = [`${method} ${target}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
  return [...lines, ...(body === '' ? [] : ['', body])].join('\n');
};
