// Names of columns as a file may have them. The page shows each as it is and obeys none.
export const hostileNames = [
  '<img src=x onerror="window.hit=1">',
  '</script><script>window.hit=2</script>',
  '👩‍🔬🧪 emoji',
  'long '.repeat(40),
  'عمر السنوات', // right to left
  '\u202Egnp.exe', // turns the text after it round
  '"quotes\' & <b>bold</b> \u2028 \\u003c ${x} {{y}}',
  '<!--<script>',
]
