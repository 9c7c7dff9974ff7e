import type { RuleTester } from 'oxlint/plugins-dev'

// Rules of this repository for oxlint.

/** The type of a rule, which oxlint does not export directly. */
type Rule = Parameters<RuleTester['run']>[1]

/** Turbopack does not rename an imported name in this position, so using the name throws a ReferenceError. */
const noImportInForUpdate: Rule = {
  create: ({ sourceCode, report }) => ({
    'ForStatement > .update Identifier'(node) {
      const { references } = sourceCode.getScope(node)
      const variable = references.find(({ identifier }) => identifier === node)?.resolved
      if (!variable?.defs.some(({ type }) => type === 'ImportBinding')) return
      const message = 'Turbopack breaks an import in the update of a `for`: move it into the body'
      report({ node, message })
    },
  }),
}

export default {
  meta: { name: 'edge-redlock' },
  rules: { 'no-import-in-for-update': noImportInForUpdate },
}
