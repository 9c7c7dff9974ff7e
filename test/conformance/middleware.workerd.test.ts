import { adapterTests } from './adapters.ts'
import { edge } from './edge.ts'
import { functions } from './fetch.ts'
import { middleware } from './hono.ts'
import { lambda } from './lambda.ts'
import { nested } from './nested.ts'
import { streaming } from './streaming.ts'
import { realNodes as nodes } from '../support/real-nodes.workerd.ts'

adapterTests('workerd', nodes)
middleware('Hono on workerd', nodes)
functions('Functions on workerd', nodes)
lambda('Lambda on workerd', nodes)
edge('Edge on workerd', nodes)
nested('Nested locks on workerd', nodes)
streaming('Streaming on workerd', nodes)
