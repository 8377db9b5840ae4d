// A cron expression in words, for the ones that rhythms have. What is not among them stays as it is.

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const two = (number: string) => number.padStart(2, "0");

export function inWords(cron: string): string {
  const [minute = "", hour = "", day = "", month = "", weekday = "", ...more] = cron.split(" ");
  const number = /^\d+$/;
  if (more.length || month !== "*" || day !== "*") return cron;
  if (weekday === "*" && hour === "*" && /^\*\/\d+$/.test(minute)) return `every ${minute.slice(2)} minutes`;
  if (!number.test(minute)) return cron;
  if (weekday === "*" && hour === "*") return `every hour at :${two(minute)}`;
  if (weekday === "*" && /^\*\/\d+$/.test(hour)) return `every ${hour.slice(2)} hours at :${two(minute)}`;
  if (!number.test(hour)) return cron;
  if (weekday === "*") return `every day at ${two(hour)}:${two(minute)}`;
  return number.test(weekday) ? `${DAYS[Number(weekday) % 7]}s at ${two(hour)}:${two(minute)}` : cron;
}
