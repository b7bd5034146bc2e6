/** What signing in says. */
export const loginText = {
  'login.title': 'Sign in to Orrery',
  'login.again': 'Your session has ended. Sign in to go on; nothing on the page is lost.',
  'login.token': 'Token',
  'login.show': 'Show or hide the token',
  'login.refused': 'The server does not accept this token. It may have expired or been revoked.',
  'login.signIn': 'Sign in',
  'login.how':
    'No token yet? It is the one that the server was started with (ORRERY_TOKEN), or one that an admin made for you.',
} as const;
