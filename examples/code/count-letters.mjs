/** Functions that `node` tasks of the examples call; each gets parameters, `args` and ways to hand values on. */

/** Hands on how many letters the name has. */
export function countLetters({ params, output }) {
  const letters = [...params.name].length;
  console.log(`"${params.name}" has ${letters} letters`);
  output('letters', letters);
}
