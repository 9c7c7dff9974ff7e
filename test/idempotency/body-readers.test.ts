import { bodyReaders } from './body-readers.ts'

bodyReaders('Node')
