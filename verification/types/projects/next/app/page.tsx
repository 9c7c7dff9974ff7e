export default function Page() {
  return <p>Reports</p>
}
