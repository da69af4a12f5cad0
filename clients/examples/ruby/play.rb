# Plays a game against a bot over gRPC: ruby -I GENERATED play.rb TARGET [GAME]
#
# On Debian: apt install ruby-grpc protobuf-compiler-grpc libprotobuf-dev. GENERATED is an empty folder for the messages:
#   protoc -Iproto -Iproto/third_party --ruby_out=GENERATED --grpc_out=GENERATED \
#     --plugin=protoc-gen-grpc=/usr/bin/grpc_ruby_plugin proto/clerestory/v1/*.proto
require "grpc"
require "securerandom"
require "clerestory/v1/advisor_services_pb"
require "clerestory/v1/games_services_pb"

include Clerestory::V1

target, game = ARGV
games = GameService::Stub.new(target, :this_channel_is_insecure)
advisor = AdvisorService::Stub.new(target, :this_channel_is_insecure)
seats = [SeatPlan.new(kind: :SEAT_KIND_PERSON), SeatPlan.new(kind: :SEAT_KIND_BOT, bot: Bot.new(level: 1))]
made = games.create_game(CreateGameRequest.new(game: game || "duel", seats: seats, request_id: SecureRandom.uuid))
mine = { game_id: made.game.game_id, tokens: made.seat_tokens.map(&:token) }
budget = Google::Protobuf::Duration.new(nanos: 50_000_000)

games.watch_game(WatchGameRequest.new(**mine)).each do |seen|
  next unless seen.game # somebody came or left, or nothing happened
  puts "shares of the win: #{seen.game.end.outcome.win_shares.to_a.join(" to ")}" if seen.game.end
  view = seen.views.first
  next if view.nil? || view.actions.empty?
  best = advisor.recommend_move(RecommendMoveRequest.new(position: view.position, time_budget: budget)).best
  puts best.label
  games.play_action(PlayActionRequest.new(**mine, version: seen.game.version, action: best.text))
end
