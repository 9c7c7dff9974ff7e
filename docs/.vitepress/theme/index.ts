import { nextTick, onMounted, watch } from 'vue'
import { useRoute, type Theme } from 'vitepress'
// The default theme with the fonts of the reader's system.
import defaultTheme from 'vitepress/theme-without-fonts'
import Chart from './Chart.vue'
import './style.css'
import './nav.css'
import './tables.css'

/** The layout of the start page has no main landmark, which screen readers jump to. */
const markMain = (): void => document.querySelector('.VPHome')?.setAttribute('role', 'main')

const theme: Theme = {
  extends: defaultTheme,
  // Pages and reports show pictures by their names.
  enhanceApp: ({ app }) => void app.component('Chart', Chart),
  setup: () => {
    const route = useRoute()
    onMounted(markMain)
    watch(
      () => route.path,
      () => nextTick(markMain),
    )
  },
}

export default theme
