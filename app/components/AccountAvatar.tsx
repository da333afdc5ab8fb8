/** A small mark made of an address, drawn here so that no picture is fetched. */
export function AccountAvatar({ address, size }: { address: string; size: number }) {
  const hue = Number.parseInt(address.slice(2, 5), 16) % 360;
  const cells = Array.from({ length: 8 }, (_, index) => Number.parseInt(address[10 + index] ?? "0", 16) % 2 === 0);
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 8 8"
      aria-hidden="true"
      style={{ borderRadius: "25%", display: "block" }}
    >
      <rect width="8" height="8" fill={`hsl(${hue} 30% 45%)`} />
      {cells.map((on, index) => {
        const x = 2 + (index % 2);
        const y = 2 + Math.floor(index / 2);
        return on ? (
          <g key={index} fill="#fff">
            <rect x={x} y={y} width="1.02" height="1.02" />
            <rect x={7 - x} y={y} width="1.02" height="1.02" />
          </g>
        ) : null;
      })}
    </svg>
  );
}
