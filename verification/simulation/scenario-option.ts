import { Option } from 'commander'
import { scenarioChoices } from './scenarios/names.ts'

export const scenarioOption = new Option('--scenario <name>', 'the kind of all histories')
  .choices(scenarioChoices)
  .default('mixed')
