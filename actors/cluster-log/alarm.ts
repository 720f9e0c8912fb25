/** Alarms: what needs an operator, from when it was found until it is over. */

/** An alarm of one name and subject is one alarm, whichever node finds it. */
export interface FoundAlarm {
  /** Such as `node-dead`. */
  readonly name: string;
  /** What it is about, such as the name of a node; null where the name says it. */
  readonly subject: string | null;
  readonly severity: 'critical' | 'warning';
  readonly what: string;
  /** Store time, ms; null if it is not known: then when it was found. */
  readonly since: number | null;
  readonly todo: string;
  /** Path of the page of the console that shows it; null where the cluster cannot show it now. */
  readonly link: string | null;
  /** It was over before it could be recorded: store time, ms. Absent: it goes on. */
  readonly until?: number;
}

/** An alarm as the cluster keeps it. */
export interface AlarmRecord extends Omit<FoundAlarm, 'since' | 'until'> {
  /** Store time, ms. */
  readonly beganAt: number;
  /** Null: it goes on. */
  readonly endedAt: number | null;
}

/** The natural id of an alarm. */
export function alarmId({ name, subject }: Pick<FoundAlarm, 'name' | 'subject'>): string {
  return subject === null ? name : `${name} ${subject}`;
}
