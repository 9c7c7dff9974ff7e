import { route } from '@react-router/dev/routes'

const resources = ['return', 'redirect', 'throw', 'replay', 'stream', 'lock', 'throttle']
const pages = ['page', 'middleware', 'form', 'checkout']

export default [
  ...resources.map((name) => route(name, `routes/${name}.js`)),
  ...pages.map((name) => route(name, `routes/${name}.jsx`)),
]
