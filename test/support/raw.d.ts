// The text of a file, as Vite imports it where nothing can be read from a disk.
declare module '*?raw' {
  const text: string
  export default text
}
