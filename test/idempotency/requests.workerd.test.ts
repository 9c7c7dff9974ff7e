import { requests } from './requests.ts'
import { realNodes } from '../support/real-nodes.workerd.ts'

requests('workerd', realNodes)
