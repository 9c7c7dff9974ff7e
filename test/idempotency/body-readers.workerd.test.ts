import { bodyReaders } from './body-readers.ts'

bodyReaders('workerd')
