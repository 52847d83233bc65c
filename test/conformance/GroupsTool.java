// GroupsTool.java: one JVM that runs Kafka's kafka-consumer-groups as often as it is told, and Kafka's own consumers as
// members of groups beside it. compare_groups_tool.py starts it from source, with Kafka's jars as class path.
//   in     one line a command, words by tabs:
//     tool WORD...                                  the tool's main(WORD...)
//     open NAME SERVER GROUP TOPICS [KEY=VALUE...]  a consumer that polls from now on; its client id is NAME up to a
//                                                   slash; TOPICS by commas, or ~PATTERN for the server to resolve
//     await NAME COUNT                              until it has so many partitions; answers its member id
//     commit NAME TOPIC PARTITION OFFSET [LEADER_EPOCH]
//     close NAME
//   out    STATUS OUT_BYTES ERR_BYTES, a line, then so many bytes of each: what was printed, and the exit status;
//          but for `tool`, out is the answer, and a status of 1 comes with what went wrong
// A member has one thread that alone touches its consumer, as Kafka demands.
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.SubscriptionPattern;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.utils.internals.Exit;
import org.apache.kafka.tools.consumer.group.ConsumerGroupCommand;

public class GroupsTool {
    static final long PATIENCE_S = Long.getLong("patience.s", 60);
    static final Map<String, Member> members = new HashMap<>();

    static class Member extends Thread {
        final KafkaConsumer<byte[], byte[]> consumer;
        final LinkedBlockingQueue<FutureTask<String>> tasks = new LinkedBlockingQueue<>();
        boolean ends;  // of its own thread

        Member(Map<String, Object> configs, String topics) {
            setDaemon(true);
            consumer = new KafkaConsumer<>(configs);
            if (topics.startsWith("~")) consumer.subscribe(new SubscriptionPattern(topics.substring(1)));
            else consumer.subscribe(List.of(topics.split(",")));
        }

        @Override
        public void run() {
            while (!ends) {
                consumer.poll(Duration.ofMillis(100));
                for (FutureTask<String> task = tasks.poll(); task != null; task = tasks.poll()) task.run();
            }
        }

        String ask(Callable<String> question) throws Exception {
            FutureTask<String> task = new FutureTask<>(question);
            tasks.add(task);
            return task.get(PATIENCE_S, TimeUnit.SECONDS);
        }
    }

    static String open(String[] words) {
        Map<String, Object> configs = new HashMap<>();
        configs.put("client.id", words[1].split("/")[0]);
        configs.put("bootstrap.servers", words[2]);
        configs.put("group.id", words[3]);
        configs.put("key.deserializer", ByteArrayDeserializer.class);
        configs.put("value.deserializer", ByteArrayDeserializer.class);
        configs.put("enable.auto.commit", false);
        configs.put("auto.offset.reset", "earliest");
        for (String word : Arrays.asList(words).subList(5, words.length)) {
            String[] pair = word.split("=", 2);
            configs.put(pair[0], pair[1]);
        }
        Member member = new Member(configs, words[4]);
        members.put(words[1], member);
        member.start();
        return "";
    }

    static String await(String name, int count) throws Exception {
        Member member = members.get(name);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
        while (true) {
            String found = member.ask(() -> member.consumer.assignment().size() + " "
                + member.consumer.groupMetadata().memberId());
            if (found.startsWith(count + " ") && found.length() > (count + " ").length()) return found.split(" ")[1];
            if (System.nanoTime() > deadline) throw new Exception(name + " has other than " + count + ": " + found);
            Thread.sleep(20);
        }
    }

    static String commit(String[] words) throws Exception {
        TopicPartition partition = new TopicPartition(words[2], Integer.parseInt(words[3]));
        Optional<Integer> epoch = words.length > 5 ? Optional.of(Integer.parseInt(words[5])) : Optional.empty();
        OffsetAndMetadata offset = new OffsetAndMetadata(Long.parseLong(words[4]), epoch, "");
        Member member = members.get(words[1]);
        return member.ask(() -> {
            member.consumer.commitSync(Map.of(partition, offset));
            return "";
        });
    }

    static String close(String name) throws Exception {
        Member member = members.remove(name);
        return member.ask(() -> {
            member.ends = true;
            member.consumer.close();
            return "";
        });
    }

    static String play(String[] words) throws Exception {
        switch (words[0]) {
            case "open": return open(words);
            case "await": return await(words[1], Integer.parseInt(words[2]));
            case "commit": return commit(words);
            case "close": return close(words[1]);
            default: throw new Exception("no such command: " + words[0]);
        }
    }

    // The tool ends its process in the middle of things; here its thread stays where it is for ever instead, for an
    // exception would be caught and printed by the tool.
    static int runTool(String[] words) throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        int[] status = {0};
        Exit.setExitProcedure((code, message) -> {
            status[0] = code;
            ended.countDown();
            while (true) {
                try {
                    Thread.sleep(Long.MAX_VALUE);
                } catch (InterruptedException ignored) {
                    continue;
                }
            }
        });
        Thread thread = new Thread(() -> {
            try {
                ConsumerGroupCommand.main(words);
            } catch (Throwable thrown) {  // as the JVM would have it
                status[0] = 1;
                System.err.print("Exception in thread \"main\" ");
                thrown.printStackTrace();
            }
            ended.countDown();
        });
        thread.setDaemon(true);
        thread.start();
        if (!ended.await(PATIENCE_S, TimeUnit.SECONDS)) throw new Exception("the tool does not end");
        return status[0];
    }

    static PrintStream printer(ByteArrayOutputStream bytes) {
        return new PrintStream(bytes, true, StandardCharsets.UTF_8);
    }

    public static void main(String[] ignored) throws Exception {
        PrintStream answers = System.out;
        PrintStream complaints = System.err;
        org.slf4j.LoggerFactory.getLogger(GroupsTool.class);  // says what it has to say before anybody listens
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            String[] words = line.split("\t", -1);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            ByteArrayOutputStream err = new ByteArrayOutputStream();
            int status = 0;
            try {
                if (words[0].equals("tool")) {
                    System.setOut(printer(out));
                    System.setErr(printer(err));
                    status = runTool(Arrays.copyOfRange(words, 1, words.length));
                } else {
                    out.writeBytes(play(words).getBytes(StandardCharsets.UTF_8));
                }
            } catch (Throwable thrown) {
                StringWriter text = new StringWriter();
                thrown.printStackTrace(new PrintWriter(text));
                err.writeBytes(text.toString().getBytes(StandardCharsets.UTF_8));
                status = words[0].equals("tool") ? -1 : 1;
            } finally {
                System.setOut(answers);
                System.setErr(complaints);
            }
            answers.print(status + " " + out.size() + " " + err.size() + "\n");
            answers.write(out.toByteArray());
            answers.write(err.toByteArray());
            answers.flush();
        }
    }
}
