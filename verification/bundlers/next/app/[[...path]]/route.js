import { app } from '../../../app/app.js'

/** @param {Request} request */
const handle = (request) => app(request)

export { handle as GET, handle as POST }
