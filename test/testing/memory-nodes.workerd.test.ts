import { memoryNodeTests } from './memory-nodes.ts'

memoryNodeTests('Memory nodes on workerd')
