/**
 * The sample documents of the dApp as HTML: everything on them is invented, so they can be shared under the project's
 * licence.
 */
export interface SampleDocument {
  file: string;
  title: string;
  width: number;
  height: number;
  /** Small turn of the paper, as a scanner leaves it. */
  degrees: number;
  style: string;
  body: string;
}

const serif = "font-family: 'DejaVu Serif Condensed', 'DejaVu Serif', serif; font-stretch: condensed;";
const sans = "font-family: Inter, sans-serif;";
const mono = "font-family: 'JetBrains Mono', monospace;";

export const documents: readonly SampleDocument[] = [
  {
    file: "01-receipt.png",
    title: "Bakery receipt",
    width: 960,
    height: 910,
    degrees: 0.4,
    style: `${mono} font-size: 29px; line-height: 1.5; padding: 50px 150px;`,
    body: `
      <h1 class="c" style="font-size:42px">KORNBLUM BAKERY</h1>
      <p class="c">14 Mill Lane, Ostreach</p><p class="c">Tel 0555 014 220</p><hr>
      ${rows([
        ["2 Rye loaf", "7.80"],
        ["4 Poppy seed roll", "3.20"],
        ["1 Plum cake, slice", "2.95"],
        ["1 Coffee, large", "3.40"],
        ["3 Butter pretzel", "4.05"],
      ])}<hr>
      ${rows([
        ["Subtotal", "21.40"],
        ["VAT 7 %", "1.50"],
        ["TOTAL", "22.90"],
        ["Cash", "30.00"],
        ["Change", "7.10"],
      ])}<hr>
      <p>12.03.2026 08:41 Till 2</p><p>Receipt 004417</p>
      <p class="c" style="margin-top:22px">Thank you and see you soon</p>`,
  },
  {
    file: "02-invoice.png",
    title: "Invoice",
    width: 960,
    height: 960,
    degrees: -0.3,
    style: `${sans} font-size: 25px; line-height: 1.5; padding: 60px 70px;`,
    body: `
      <h1 style="font-size:46px; margin-bottom:6px">Invoice</h1>
      <p>Lindqvist Instrument Works</p><p>Harbour Street 9, 2104 Norvik</p>
      <p style="margin-top:24px"><b>Bill to:</b> Tamsin Okafor</p><p>Invoice number: 2026-0381</p><p>Date of issue: 3 February 2026</p>
      ${table(
        ["Description", "Qty", "Amount"],
        [
          ["Calibration of torque meter", "2", "184.00"],
          ["Replacement spring set", "6", "57.60"],
          ["Optical bench, cleaning", "1", "120.00"],
          ["Travel, 42 km", "1", "31.50"],
        ],
      )}
      ${rows([
        ["Net amount", "393.10"],
        ["VAT 19 %", "74.69"],
        ["Total due", "467.79"],
      ])}
      <p style="margin-top:26px">Payable within 30 days.</p>
      <p>Account: NO55 0417 2280 91</p><p>Please quote the invoice number.</p>`,
  },
  {
    file: "03-parcel-label.png",
    title: "Parcel label",
    width: 960,
    height: 720,
    degrees: 0,
    style: `${sans} font-size: 30px; line-height: 1.4; padding: 34px 46px; border: 4px solid #222; margin: 22px; height: 660px;`,
    body: `
      ${rows([["<b style='font-size:44px'>EXPRESS 24</b>", "<b style='font-size:44px'>K-17</b>"]])}<hr>
      <div style="display:grid;grid-template-columns:1fr 1fr;gap:0 30px">
      <div><p><small>FROM</small></p><p>Fernhill Seeds Ltd</p><p>3 Orchard Close</p><p>LD4 8QT Wexbury</p></div>
      <div><p><small>TO</small></p><p><b>Ines Marchetti</b></p><p>Via dei Tigli 27</p><p>40129 Borgonuovo</p></div></div><hr>
      ${rows([
        ["Weight 2.45 kg", "Parcel 1 of 3"],
        ["Contents: bulbs", "Keep dry"],
      ])}
      <div style="height:96px;margin:20px 0 8px;background:repeating-linear-gradient(90deg,#111 0 5px,#fff 5px 9px,#111 9px 11px,#fff 11px 18px,#111 18px 27px,#fff 27px 31px)"></div>
      <p class="c" style="${mono} letter-spacing:3px">JJD 0014 7731 9026 48</p>`,
  },
  {
    file: "04-letter.png",
    title: "Letter",
    width: 960,
    height: 1000,
    degrees: 0.5,
    style: `${serif} font-size: 28px; line-height: 1.5; padding: 70px 90px;`,
    body: `
      <p style="text-align:right">Saltmarsh House</p><p style="text-align:right">19 May 2026</p>
      <p style="margin:26px 0 18px">Dear Mrs Abernathy,</p>
      ${lines([
        "Thank you for the drawings that you sent on",
        "Monday. The committee looked at them with",
        "great pleasure and chose the second design",
        "for the new footbridge.",
      ])}<br>
      ${lines([
        "Two small questions remain. Can the handrail",
        "be made of oak instead of steel, and would",
        "the lamps still fit between the posts?",
      ])}<br>
      ${lines([
        "We should like to begin in August, when the",
        "river is low. Please tell us whether this",
        "suits your workshop.",
      ])}
      <p style="margin-top:30px">Yours sincerely,</p><p style="margin-top:34px"><i>Rowan Whitlock</i></p><p>Secretary</p>`,
  },
  {
    file: "05-timetable.png",
    title: "Bus timetable",
    width: 960,
    height: 720,
    degrees: 0,
    style: `${sans} font-size: 27px; line-height: 1.4; padding: 44px 56px;`,
    body: `
      <h1 style="font-size:42px">Line 12 Old Town to Lakeside</h1><p>Monday to Friday, from 1 April 2026</p>
      ${table(
        ["Stop", "", "", ""],
        [
          ["Old Town Hall", "06:10", "06:40", "07:05"],
          ["Museum", "06:14", "06:44", "07:09"],
          ["Station North", "06:21", "06:51", "07:17"],
          ["Hospital", "06:27", "06:57", "07:24"],
          ["Botanic Garden", "06:33", "07:03", "07:31"],
          ["Lakeside", "06:41", "07:11", "07:40"],
        ],
      )}
      <p style="margin-top:24px">No service on public holidays.</p><p>Bicycles only after 09:00.</p>`,
  },
  {
    file: "06-menu.png",
    title: "Lunch menu",
    width: 960,
    height: 880,
    degrees: -0.4,
    style: `${serif} font-size: 29px; line-height: 1.45; padding: 60px 110px;`,
    body: `
      <h1 class="c" style="font-size:52px">The Copper Kettle</h1><p class="c"><i>Lunch from 11:30 to 14:30</i></p>
      <h2>Soups</h2>${rows([
        ["Roast pumpkin with sage", "5.40"],
        ["Clear beetroot broth", "4.90"],
      ])}
      <h2>Mains</h2>${rows([
        ["Trout with brown butter", "14.20"],
        ["Mushroom and barley risotto", "11.80"],
        ["Lamb stew with juniper", "15.60"],
        ["Leek tart, green salad", "10.50"],
      ])}
      <h2>Desserts</h2>${rows([
        ["Baked apple with almonds", "5.20"],
        ["Lemon curd pancake", "4.80"],
        ["Cheese of the week", "6.30"],
      ])}
      <p class="c" style="margin-top:26px">Please ask us about allergens.</p>`,
  },
  {
    file: "07-book-page.png",
    title: "Book page",
    width: 960,
    height: 930,
    degrees: 0.3,
    style: `${serif} font-size: 30px; line-height: 1.52; padding: 70px 110px;`,
    body: `
      <p class="c" style="letter-spacing:4px;font-size:24px">THE TIDE CLOCK</p><h2 class="c" style="margin:20px 0">Chapter Seven</h2>
      ${lines([
        "The keeper of the lighthouse had two clocks.",
        "One told the hour, the other told the tide,",
        "and in forty years they had never agreed",
        "about anything except midnight on the first",
        "day of spring.",
      ])}
      ${lines([
        "&emsp;On that night Marit climbed the stairs with",
        "a lamp and a notebook. She wrote down both",
        "numbers, drew a line under them, and waited.",
        "The wind came from the north. Far out a ship",
        "showed one green light, then none.",
      ])}
      ${lines([
        "&emsp;“It is early,” said her brother from below.",
        "“The sea is never early,” she answered,",
        "“only our clocks are late.”",
      ])}
      <p class="c" style="margin-top:30px">91</p>`,
  },
  {
    file: "08-ticket.png",
    title: "Concert ticket",
    width: 960,
    height: 720,
    degrees: 0,
    style: `${sans} font-size: 29px; line-height: 1.45; padding: 40px 60px;`,
    body: `
      <p><small>GLASSWORKS CONCERT HALL</small></p><h1 style="font-size:50px;margin:4px 0">Winter Quartet</h1>
      <p>Strings and piano by Elin Sandoval</p><hr>
      ${table(["Date", "Doors", "Begins"], [["21 Nov 2026", "19:00", "19:45"]])}
      ${table(["Block", "Row", "Seat"], [["C left", "08", "114"]])}<hr>
      ${rows([
        ["Price 38.00 incl. fees", "Order 7F-20931"],
        ["Admits one person", "No re-entry"],
      ])}`,
  },
  {
    file: "09-recipe-card.png",
    title: "Recipe card",
    width: 960,
    height: 840,
    degrees: -0.5,
    style: `${serif} font-size: 29px; line-height: 1.48; padding: 54px 90px;`,
    body: `
      <h1 style="font-size:44px">Grandmother's plum jam</h1><p><i>Makes six jars, takes 90 minutes</i></p>
      <h2>You need</h2>
      ${lines(["1.5 kg ripe plums", "750 g sugar", "Juice of one lemon", "1 stick of cinnamon", "50 ml dark rum"])}
      <h2>Method</h2>
      ${lines([
        "1. Halve the plums and take out the stones.",
        "2. Mix with sugar and lemon, rest overnight.",
        "3. Boil with the cinnamon for 40 minutes.",
        "4. Stir in the rum and skim the foam.",
        "5. Fill hot jars to the rim and turn them over.",
      ])}
      <p style="margin-top:18px">Keeps for one year in a dark place.</p>`,
  },
  {
    file: "10-notice.png",
    title: "House notice",
    width: 960,
    height: 770,
    degrees: 0.6,
    style: `${sans} font-size: 29px; line-height: 1.5; padding: 56px 80px;`,
    body: `
      <h1 style="font-size:54px" class="c">NOTICE</h1><p class="c">to all residents of Birch Court 5</p><br>
      ${lines([
        "The water will be turned off on",
        "Thursday 8 October from 9:00 to 12:30",
        "because the main valve is replaced.",
      ])}<br>
      ${lines([
        "Please fill a kettle beforehand and keep",
        "all taps closed during this time.",
        "The lift stays in service.",
      ])}<br>
      ${lines(["Questions: flat 2B, ground floor", "Telephone 0555 730 118", "Your house management"])}`,
  },
  {
    file: "11-lab-report.png",
    title: "Water test report",
    width: 960,
    height: 790,
    degrees: -0.2,
    style: `${sans} font-size: 25px; line-height: 1.5; padding: 54px 66px;`,
    body: `
      <h1 style="font-size:40px">Water test report</h1>
      <p>Sample 88-1204, well at Heron Farm</p><p>Taken 14 July 2026, 07:20</p>
      ${table(
        ["Quantity", "Found", "Limit"],
        [
          ["pH at 20 degrees", "7.4", "9.5"],
          ["Nitrate, mg/l", "18.2", "50.0"],
          ["Iron, mg/l", "0.07", "0.20"],
          ["Chloride, mg/l", "31.5", "250.0"],
          ["Lead, mg/l", "0.001", "0.010"],
          ["Hardness, mmol/l", "2.3", "none"],
        ],
      )}
      <p style="margin-top:26px"><b>Result: fit for drinking</b></p>
      <p>Next test due in July 2027.</p><p>Signed: M. Castellane, chemist</p>`,
  },
  {
    file: "12-packing-list.png",
    title: "Packing list",
    width: 960,
    height: 740,
    degrees: 0.2,
    style: `${mono} font-size: 27px; line-height: 1.5; padding: 52px 80px;`,
    body: `
      <h1 style="font-size:40px">PACKING LIST</h1><p>Order 55120 / Box 4</p><p>Picked by: Yusuf</p><hr>
      ${rows([
        ["A-1003 Hex bolt M8", "200"],
        ["A-1044 Washer M8", "400"],
        ["B-2210 Angle bracket", "36"],
        ["C-0097 Rubber foot", "72"],
        ["C-0312 Cable tie 200", "150"],
        ["D-4405 Assembly guide", "1"],
      ])}<hr>
      ${rows([
        ["Items in this box", "859"],
        ["Gross weight", "11.8 kg"],
      ])}
      <p style="margin-top:20px">Check the contents before signing.</p><p>Missing parts: call 0555 900 41</p>`,
  },
];

function lines(texts: readonly string[]): string {
  return texts.map((text) => `<p>${text}</p>`).join("");
}

function rows(pairs: readonly (readonly [string, string])[]): string {
  return pairs.map(([left, right]) => `<p class="row"><span>${left}</span><span>${right}</span></p>`).join("");
}

function table(head: readonly string[], body: readonly (readonly string[])[]): string {
  const cells = (row: readonly string[], tag: string) => row.map((text) => `<${tag}>${text}</${tag}>`).join("");
  return `<table><tr>${cells(head, "th")}</tr>${body.map((row) => `<tr>${cells(row, "td")}</tr>`).join("")}</table>`;
}
